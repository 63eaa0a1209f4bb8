<?php

declare(strict_types=1);

use App\Socialite\SignInRefused;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;
use Laravel\Socialite\Facades\Socialite;
use Laravel\Socialite\Two\InvalidStateException;

Route::get('/', function (Request $request) {
    $told = $request->session()->get('told') ?? $request->session()->get('person.name', '');
    $form = '<form method="post" action="/sign-in">'.csrf_field().'<button>Sign in</button></form>';

    return '<!doctype html><title>Shop</title><p role="status">'.e($told).'</p>'.$form;
});

Route::post('/sign-in', fn () => Socialite::driver('miftah')->redirect());

Route::get('/sign-in/return', function (Request $request) {
    try {
        $person = Socialite::driver('miftah')->user();
    } catch (SignInRefused) {
        return redirect('/')->with('told', 'You have refused, or did not answer in time.');
    } catch (InvalidStateException) {
        return redirect('/')->with('told', 'This browser has not begun this sign-in.');
    }
    // With a new id, because somebody else may know the one from before. `sub` is who it is, for ever.
    $request->session()->regenerate();
    $request->session()->put('person', ['sub' => $person->getId(), 'name' => $person->getName()]);

    return redirect('/');
});
